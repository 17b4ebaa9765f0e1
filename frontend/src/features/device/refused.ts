// Reads the server's refusal of a new sandbox device.
import { Refusal } from "../../api/client";

type Fields<Field extends string> = Partial<Record<string, Field>>;

/** Returns the refusal by field of a form: of its code, or of the fields that it names. Null where it has another. */
export function refusedBy<Field extends string>(
  error: unknown,
  fieldsOfCodes: Fields<Field>,
  fieldsOfNames: Fields<Field>,
): Partial<Record<Field, string>> | null {
  if (!(error instanceof Refusal)) return null;
  const refused: Partial<Record<Field, string>> = {};
  const ofCode = fieldsOfCodes[error.code];
  if (ofCode !== undefined) {
    refused[ofCode] = error.message;
    return refused;
  }
  for (const { field, message } of error.fields) {
    const own = fieldsOfNames[field];
    if (own === undefined) return null;
    refused[own] = message;
  }
  return error.fields.length === 0 ? null : refused;
}
