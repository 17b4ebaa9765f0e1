// The way to sign in without a password: the provider that the server is configured for.
import { Button, Stack } from "@mantine/core";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./Entry.module.css";
import { useProvider } from "./queries";

/** `asked`: what to send; null while something is missing, which `words` name. */
export function ByProvider({
  verb,
  provider,
  asked,
  words,
}: {
  verb: "Sign in" | "Join";
  provider: string;
  asked: { return_path: string; link_token?: string; name?: string } | null;
  words?: string;
}) {
  const open = useProvider();
  return (
    <Stack gap="md">
      <div className={classes.or}>or</div>
      <Button
        variant="default"
        loading={open.isPending}
        disabled={asked === null}
        onClick={() => asked !== null && open.mutate(asked)}
      >
        {verb} with {provider}
      </Button>
      {words !== undefined && <p className="patina-quiet">{words}</p>}
      {open.isError && <RefusalNotice error={open.error} />}
    </Stack>
  );
}
