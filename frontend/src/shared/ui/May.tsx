// Shows actions to accounts whose role allows them. The server decides; this spares others a button that it refuses.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Role } from "../../api/client";
import { includes, meQuery } from "../me";

export function May({
  needs,
  children,
  otherwise,
}: {
  needs: Role;
  children: ReactNode;
  otherwise?: ReactNode;
}) {
  const { data: me } = useQuery(meQuery);
  return me?.role == null || includes(me.role, needs) ? children : otherwise;
}
