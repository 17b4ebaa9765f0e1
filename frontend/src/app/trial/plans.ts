// Ready-made trials: each ages its images first and ends in one figure. All of it can be changed before the start.
import type { FileSystem } from "../../api/client";
import made from "../../api/plans.json";
import type { Draft } from "./draft";

export interface TrialPlan {
  name: string;
  title: string;
  summary: string;
  draft: Partial<Draft>;
}

export const plans: readonly TrialPlan[] = made.map((plan) => ({
  name: plan.name,
  title: plan.title,
  summary: plan.summary,
  draft: {
    source: "aging",
    file_systems: plan.file_systems as FileSystem[],
    states: plan.states,
    addsTwins: plan.adds_twins,
    withoutJournal: plan.without_journal,
    chosen: plan.chosen,
    name: plan.title,
  },
}));
