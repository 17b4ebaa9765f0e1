// The line above the fields of a form that explains the mark of required ones.
export function RequiredNote() {
  return (
    <p className="patina-quiet" style={{ fontSize: 13 }}>
      Fields with an asterisk (*) are required.
    </p>
  );
}
