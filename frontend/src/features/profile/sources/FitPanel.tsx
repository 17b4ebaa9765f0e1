// Fits a distribution to the bars, or computes one from its parameters; draws it over the bars before it is applied.
import { Button, Select, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { FitKind, FitParameters, HistogramName } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { formatFraction, fraction } from "../../../shared/units";
import { histogramNames, type EditedBins } from "../editor/draft/bin";
import { useBins, type DraftStore } from "../editor/draft/store";
import { histogramTitles } from "../words";
import { fieldsOf, kindsOf, kindTitles, valueOf, withValue, type ParameterField } from "./fitParameters";
import { fitQuery } from "./queries";
import classes from "./Sources.module.css";

interface Props {
  store: DraftStore;
  onOverlay: (overlay: { histogram: HistogramName; weights: readonly number[] } | null) => void;
  onClose: () => void;
}

function Field({
  field,
  value,
  onTake,
}: {
  field: ParameterField;
  value: number;
  onTake: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null ? value : field.parse(typed);
  const take = (text: string) => {
    setTyped(text);
    const next = field.parse(text);
    if (next !== null) onTake(next);
  };
  return (
    <TextInput
      label={field.title}
      value={typed ?? field.textOf(value)}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={() => setTyped(null)}
      error={parsed === null}
    />
  );
}

function askOf(histogram: HistogramName, kind: FitKind, bins: EditedBins, parameters: FitParameters | null) {
  const weights = bins.map(({ weight }) => weight);
  return { histogram, kind, edges: bins.map(({ edge }) => edge), weights, parameters };
}

interface FitProps extends Props {
  histogram: HistogramName;
  kind: FitKind;
}

function useFit({ store, histogram, kind, onOverlay }: FitProps, typed: FitParameters | null) {
  const bins = useBins(store, histogram);
  const asked = useMemo(() => askOf(histogram, kind, bins, typed), [histogram, kind, bins, typed]);
  const fit = useQuery({ ...fitQuery(asked), placeholderData: keepPreviousData });
  const weights = fit.data?.weights;
  useEffect(() => {
    onOverlay(weights === undefined ? null : { histogram, weights });
    return () => onOverlay(null);
  }, [histogram, weights, onOverlay]);
  return fit;
}

function FitOfKind(props: FitProps) {
  const { store, histogram, kind, onClose } = props;
  /** Null: the parameters are fitted to the bars. */
  const [typed, setTyped] = useState<FitParameters | null>(null);
  const fit = useFit(props, typed);
  const weights = fit.data?.weights;
  const apply = () => {
    const bins = store.getDraft().histograms[histogram];
    if (weights?.length !== bins.length) return;
    const fitted = bins.map((bin, index) => ({ ...bin, weight: weights[index] ?? 0 }));
    store.dispatch({ type: "replace", histograms: { [histogram]: fitted }, by: `a fit of ${histogram}` });
    onClose();
  };
  const parameters = typed ?? fit.data?.parameters;
  return (
    <>
      {parameters !== undefined &&
        fieldsOf(histogram, kind).map((field) => (
          <Field
            key={field.key}
            field={field}
            value={valueOf(parameters, field.key)}
            onTake={(value) => setTyped(withValue(parameters, field.key, value))}
          />
        ))}
      <p className={classes.distance} role="status">
        {fit.data?.distance != null &&
          `Largest distance from the bars: ${formatFraction(fraction(fit.data.distance)).text} (Kolmogorov-Smirnov)`}
      </p>
      {fit.isError && <RefusalNotice error={fit.error} />}
      <div className={classes.buttons}>
        {typed !== null && (
          <Button variant="subtle" onClick={() => setTyped(null)}>
            Fit to the bars again
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={weights === undefined} onClick={apply}>
          Apply to the bars
        </Button>
      </div>
    </>
  );
}

export function FitPanel(props: Props) {
  const [histogram, setHistogram] = useState<HistogramName>("size");
  const [kind, setKind] = useState<FitKind>("lognormal_pareto");
  const chooseHistogram = (value: string | null) => {
    const name = histogramNames.find((known) => known === value) ?? histogram;
    setHistogram(name);
    setKind(kindsOf[name][0]);
  };
  return (
    <div className={classes.fit} role="group" aria-label="Fit a distribution">
      <Select
        label="Histogram"
        data={histogramNames.map((name) => ({ value: name, label: histogramTitles[name] }))}
        value={histogram}
        onChange={chooseHistogram}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <Select
        label="Distribution"
        className={classes.kind ?? ""}
        data={kindsOf[histogram].map((value) => ({ value, label: kindTitles[value] }))}
        value={kind}
        onChange={(value) => setKind(kindsOf[histogram].find((known) => known === value) ?? kind)}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <FitOfKind key={`${histogram} ${kind}`} {...props} histogram={histogram} kind={kind} />
    </div>
  );
}
