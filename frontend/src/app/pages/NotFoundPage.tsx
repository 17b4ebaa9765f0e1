// The page for an unknown address.
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found">
        No page of Patina has the address <span className="mono">{location.pathname}</span>.
      </PageHeader>
      <LinkButton to="/devices">Go to the devices</LinkButton>
    </>
  );
}
