// In place of a forecast, where there is no profile whose cost could be forecast.
import classes from "./ForecastPanel.module.css";

export function NoForecast() {
  return (
    <section className={classes.panel} aria-label="Forecast">
      <h3 className={classes.title}>No forecast</h3>
      <p className={classes.quiet}>
        A workload has no histograms to meet. It ends after its rounds or operations; how long that takes is
        known once it runs.
      </p>
    </section>
  );
}
