// The page that the provider sends the browser to. It ends the sign-in, and shows the page that was asked for.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { OpenidFinish } from "../../api/client";
import { EntryFrame } from "../../features/account/EntryFrame";
import { useFinishing } from "../../features/account/queries";
import { SignIn } from "../../features/account/SignIn";
import { meQuery } from "../../shared/me";
import { LinkButton } from "../../shared/ui/LinkButton";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { Soon, TextLines } from "../../shared/ui/waiting/shapes";

/** Returns what the provider sent in the address; null if it sent nothing. */
function broughtIn(search: string): OpenidFinish | null {
  const { state, ...others } = Object.fromEntries(new URLSearchParams(search));
  const names = ["code", "error", "error_description", "iss"] as const;
  const found = names.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]] as const]));
  return state === undefined ? null : { state, ...Object.fromEntries(found) };
}

export function OpenidPage() {
  const { data: me, isPending } = useQuery(meQuery);
  const { history } = useRouter();
  const navigate = useNavigate();
  const { mutate, isError, error } = useFinishing();
  const [brought] = useState(() => broughtIn(location.search));
  const isSent = useRef(false); // a state works once, and effects may run twice
  useEffect(() => {
    if (brought === null || isSent.current) return;
    isSent.current = true;
    mutate(brought, { onSuccess: (path) => history.replace(path) });
  }, [brought, mutate, history]);
  // A password was entered here instead.
  const wasStranger = useRef(false);
  const isOver = brought === null || isError;
  useEffect(() => {
    if (!isOver || me === undefined) return;
    if (me.account === null) wasStranger.current = true;
    else if (wasStranger.current) void navigate({ to: "/devices", replace: true });
  }, [isOver, me, navigate]);
  const notice = isError && <RefusalNotice error={error} />;
  if (isPending || !isOver)
    return (
      <EntryFrame title="Signing in">
        <div role="status" aria-label="Loading">
          <Soon>
            <TextLines count={3} />
          </Soon>
        </div>
      </EntryFrame>
    );
  if (me?.account == null)
    return <SignIn provider={me?.provider ?? null} returnPath="/devices" notice={notice} />;
  return (
    <EntryFrame title={`Signed in as ${me.account.name}`}>
      {notice}
      <LinkButton to="/account">Go to the account</LinkButton>
    </EntryFrame>
  );
}
