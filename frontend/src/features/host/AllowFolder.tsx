// How a folder of a host is allowed to be scanned. Only the host itself can: its worker, which is root, trusts no request.
import { Copyable } from "../../shared/ui/Copyable";
import classes from "./AllowFolder.module.css";

export function AllowFolder() {
  return (
    <div className={classes.allow}>
      <p>
        Folders are allowed on the host itself, by root; this page cannot change them. The worker reads them
        at each scan, so it need not be restarted, and the audit trail shows the change.
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
