// The page of a link for one use. Its secret is the part of the address behind #, which browsers send to no server.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { EntryFrame } from "../../features/account/EntryFrame";
import { UseLink } from "../../features/account/UseLink";

export function EnterPage() {
  const navigate = useNavigate();
  const [token] = useState(() => location.hash.slice(1));
  if (token === "") {
    return (
      <EntryFrame title="This link is incomplete">
        <p>Copy the whole address, with the part behind the sign #.</p>
      </EntryFrame>
    );
  }
  return <UseLink token={token} onEntered={() => void navigate({ to: "/devices", replace: true })} />;
}
