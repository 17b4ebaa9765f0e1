// How a folder of a host is allowed to be scanned. Only the host itself can: its worker, which is root, trusts no request.
import { Copyable } from "../../shared/ui/Copyable";
import classes from "./AllowFolder.module.css";

export function AllowFolder() {
  return (
    <div className={classes.allow}>
      <p>
        Folders are allowed on the host itself, by root; this page cannot change them. Run the command in the
        folder of Patina there. Nothing has to be restarted: the server knows the change within 10 seconds,
        and the audit trail shows it.
      </p>
      <Copyable
        text="sudo bin/patina-worker scan-folders --add /srv/projects"
        what="the command that allows a folder"
        isBlock
      />
      <p>
        <code>--remove</code> takes a folder back. A host of the Debian package has the command as{" "}
        <code>patina-worker</code>.
      </p>
    </div>
  );
}
