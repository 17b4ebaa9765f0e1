// The panel for a goal without a profile, which has no forecast.
import classes from "./ForecastPanel.module.css";

const OF_A_WORKLOAD =
  "A workload has no target histograms. It ends after its rounds or operations; the run estimates the time.";

export function NoForecast({ why = OF_A_WORKLOAD }: { why?: string }) {
  return (
    <section className={classes.panel} aria-label="Forecast">
      <h3 className={classes.title}>No forecast</h3>
      <p className={classes.quiet}>{why}</p>
    </section>
  );
}
