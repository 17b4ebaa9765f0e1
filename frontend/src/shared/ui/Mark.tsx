// The product's mark: a histogram below its target.
export function Mark() {
  return (
    <svg viewBox="0 0 32 24" width="28" height="21" aria-hidden>
      <path d="M2 24v-8h6v8zM10 24V9h6v15zM18 24V4h6v20zM26 24V14h5v10z" fill="var(--patina-observed)" />
      <path d="M0 14h9V7h8V2h8v9h7" fill="none" stroke="var(--patina-target)" strokeWidth="2" />
    </svg>
  );
}
