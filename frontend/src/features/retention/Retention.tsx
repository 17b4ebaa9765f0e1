// The retention rule of a team: what it deletes, before it is saved and after.
import { Button, Checkbox, Group, NumberInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { Retention as RetentionRead, RetentionRule } from "../../api/client";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { LeavingImages } from "./LeavingImages";
import { previewQuery, retentionQuery, useApplyRule, useRemoveRule, useSetRule } from "./queries";
import classes from "./Retention.module.css";
import { Fields, TextLines } from "../../shared/ui/waiting/shapes";

const DAY_S = 86_400;

/** The fields of the form. The empty text: no such condition. */
interface Fields {
  keep_last: number | string;
  days: number | string;
  keeps_tagged: boolean;
}

function fieldsOf(rule: RetentionRule | null): Fields {
  return {
    keep_last: rule?.keep_last_count ?? "",
    days: rule?.expire_after_s == null ? "" : rule.expire_after_s / DAY_S,
    keeps_tagged: rule?.keeps_tagged ?? true,
  };
}

function ruleOf({ keep_last, days, keeps_tagged }: Fields): RetentionRule | null {
  if (keep_last === "" && days === "") return null;
  return {
    keep_last_count: keep_last === "" ? null : Number(keep_last),
    expire_after_s: days === "" ? null : Math.round(Number(days) * DAY_S),
    keeps_tagged,
  };
}

function isSame(one: RetentionRule | null, other: RetentionRule | null): boolean {
  return (
    one?.keep_last_count === other?.keep_last_count &&
    one?.expire_after_s === other?.expire_after_s &&
    one?.keeps_tagged === other?.keeps_tagged
  );
}

function Preview({ team_id, rule }: { team_id: number; rule: RetentionRule }) {
  const preview = useQuery({ ...previewQuery(team_id, rule), placeholderData: keepPreviousData });
  return (
    <Panel query={preview} skeleton={<TextLines count={2} />}>
      {(data) => <LeavingImages preview={data} />}
    </Panel>
  );
}

function RuleFields({ fields, onChange }: { fields: Fields; onChange: (fields: Fields) => void }) {
  return (
    <div className={classes.fields}>
      <NumberInput
        label="Keep the newest of each kind"
        description="Of one profile or workload, and file system"
        placeholder="Any number"
        min={0}
        max={100_000}
        allowDecimal={false}
        value={fields.keep_last}
        onChange={(keep_last) => onChange({ ...fields, keep_last })}
      />
      <NumberInput
        label="Delete after, in days"
        description="Younger images stay"
        placeholder="At any age"
        min={0}
        max={36_500}
        value={fields.days}
        onChange={(days) => onChange({ ...fields, days })}
      />
      <Checkbox
        label="Keep images with a tag"
        checked={fields.keeps_tagged}
        onChange={(event) => onChange({ ...fields, keeps_tagged: event.currentTarget.checked })}
      />
    </div>
  );
}

function RuleForm({ team_id, retention: { rule, preview } }: { team_id: number; retention: RetentionRead }) {
  const [fields, setFields] = useState(() => fieldsOf(rule));
  const set = useSetRule(team_id);
  const remove = useRemoveRule(team_id);
  const apply = useApplyRule(team_id);
  const chosen = ruleOf(fields);
  const isSaved = isSame(chosen, rule);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (chosen !== null) set.mutate(chosen);
  };
  const leaving = preview?.items ?? [];
  const error = set.error ?? remove.error ?? apply.error;
  return (
    <form onSubmit={submit}>
      <RuleFields fields={fields} onChange={setFields} />
      {chosen === null ? (
        <p className="patina-quiet">Without a rule the images of the team stay until they are deleted.</p>
      ) : isSaved && preview !== null ? (
        <LeavingImages preview={preview} />
      ) : (
        <Preview team_id={team_id} rule={chosen} />
      )}
      <Group gap="xs" mt="md">
        <Button type="submit" loading={set.isPending} disabled={chosen === null || isSaved}>
          Save the rule
        </Button>
        {isSaved && leaving.length > 0 && (
          <Button
            color="copper"
            variant="default"
            loading={apply.isPending}
            onClick={() => apply.mutate(leaving.map(({ id }) => id))}
          >
            Delete them now
          </Button>
        )}
        {rule !== null && (
          <Button
            variant="subtle"
            color="copper"
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSuccess: () => setFields(fieldsOf(null)) })}
          >
            Remove the rule
          </Button>
        )}
      </Group>
      {error !== null && <RefusalNotice error={error} />}
    </form>
  );
}

function Rule({ retention: { rule, preview } }: { retention: RetentionRead }) {
  if (rule === null || preview === null)
    return <p className="patina-quiet">No rule: the images of the team stay until they are deleted.</p>;
  return <LeavingImages preview={preview} />;
}

export function Retention({ team_id, isOperator }: { team_id: number; isOperator: boolean }) {
  const retention = useQuery(retentionQuery(team_id));
  return (
    <section aria-labelledby="retention">
      <div className="patina-section">
        <h2 id="retention">Retention</h2>
        <span>Applied once an hour; protected images, and those in use or on a device, stay</span>
      </div>
      <Panel query={retention} skeleton={<Fields count={2} />}>
        {(data) => (isOperator ? <RuleForm team_id={team_id} retention={data} /> : <Rule retention={data} />)}
      </Panel>
    </section>
  );
}
