// The state of a form that makes a sandbox device: its kept choices, the request, and the server's refusal.
import { useEffect, useRef } from "react";
import type { SandboxCreate } from "../../api/client";
import { useKept } from "../../shared/useKept";
import { useMakeSandbox } from "./queries";

interface Props<Draft extends object, Problems extends object> {
  kept: Map<string, Draft>;
  usual: Draft;
  requestOf: (draft: Draft) => SandboxCreate;
  /** Returns the refusal by field; null where it is not about fields of the form. */
  refusedFields: (error: unknown) => Problems | null;
  onClose: () => void;
}

/** Moves the focus to the first field that the server refused. */
function useFocusOnRefusal(refused: object | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refused !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);
  return form;
}

/** Returns the server's refusal as it was for the choices that it refused: a changed field is not refused yet. */
export function useMaking<Draft extends object, Problems extends object>(props: Props<Draft, Problems>) {
  const make = useMakeSandbox();
  const { chosen, change, forget, startOver } = useKept(
    props.kept,
    "",
    () => props.usual,
    (before) => before,
  );
  const refused = make.isError ? props.refusedFields(make.error) : null;
  const submit = () =>
    make.mutate(props.requestOf(chosen), {
      onSuccess: () => {
        forget();
        props.onClose();
      },
    });
  return {
    form: useFocusOnRefusal(refused),
    draft: chosen,
    change: (part: Partial<Draft>) => {
      if (make.isError) make.reset();
      change(part);
    },
    startOver,
    refused,
    error: make.isError && refused === null ? make.error : null,
    isPending: make.isPending,
    submit,
  };
}
