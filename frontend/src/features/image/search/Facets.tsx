// The facets of a search: values to choose, each with the number of images that it would find.
import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import type { ImageFacet, ImageFacetName } from "../../../api/client";
import { count, formatCount } from "../../../shared/units";
import classes from "./Facets.module.css";
import { chosenOf, facets, labelOf, toggled, type CatalogSearch, type ShownFacet } from "./words";

const FEW = 6;

interface FacetProps {
  name: ImageFacetName;
  values: ImageFacet["values"];
  chosen: readonly string[];
  onToggle: (value: string) => void;
}

function Values({ name, values, chosen, onToggle }: FacetProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = values.filter(({ value }, index) => showsAll || index < FEW || chosen.includes(value));
  return (
    <fieldset className={classes.facet}>
      <legend>{facets[name].title}</legend>
      {shown.map(({ value, images_count }) => (
        <div key={value} className={classes.value}>
          <Checkbox
            size="xs"
            label={labelOf(name, value)}
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
          />
          <span className="patina-quiet">{formatCount(count(images_count)).exact}</span>
        </div>
      ))}
      {values.length > FEW && (
        <Button variant="subtle" size="compact-xs" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Show fewer" : `Show all ${values.length}`}
        </Button>
      )}
    </fieldset>
  );
}

interface Props {
  search: CatalogSearch;
  /** Of `shownFacets`. */
  shown: readonly ShownFacet[];
  onChange: (search: CatalogSearch) => void;
}

export function Facets({ search, shown, onChange }: Props) {
  return shown.map(({ name, values }) => (
    <Values
      key={name}
      name={name}
      values={values}
      chosen={chosenOf(search, name)}
      onToggle={(value) => onChange(toggled(search, name, value))}
    />
  ));
}
