// The phases of a run; other kinds of jobs have other phases.
import type { Phase } from "../../../api/client";

const phases: Record<Phase, true> = {
  prepare: true,
  rapid: true,
  stable: true,
  materialize: true,
  capture: true,
  restore: true,
};

export function isPhase(word: string | null): word is Phase {
  return word !== null && word in phases;
}
