// The panel for a goal without a profile, which has no forecast.
import classes from "./ForecastPanel.module.css";

export function NoForecast() {
  return (
    <section className={classes.panel} aria-label="Forecast">
      <h3 className={classes.title}>No forecast</h3>
      <p className={classes.quiet}>
        A workload has no target histograms. It ends after its rounds or operations; the run estimates the
        time.
      </p>
    </section>
  );
}
