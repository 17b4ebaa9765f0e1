// The catalog of images. The address contains the search.
import { Button, Group, NativeSelect, Pill } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { ImageFacets } from "../../api/client";
import { ImageRow } from "../../features/image/ImageRow";
import { JustDeleted } from "../../features/image/JustDeleted";
import { facetsQuery, imagesQuery } from "../../features/image/queries";
import { Facets } from "../../features/image/search/Facets";
import { SavedSearches, SaveSearch } from "../../features/image/search/SavedSearches";
import {
  chosenOf,
  facetNames,
  facets,
  isNarrowed,
  labelOf,
  searchOf,
  shownFacets,
  sorts,
  toggled,
  type CatalogSearch,
} from "../../features/image/search/words";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { SearchField } from "../../shared/ui/SearchField";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { count, formatCount } from "../../shared/units";
import classes from "./ImagesPage.module.css";
import { Rows } from "../../shared/ui/waiting/shapes";

interface Props {
  search: CatalogSearch;
  found: ImageFacets | undefined;
  onChange: (search: CatalogSearch) => void;
}

/** States how many images are found, and shows the chosen values, each with a button that removes it. */
function Found({ search, found, onChange }: Props) {
  const images = found?.images_count ?? 0;
  return (
    <div className={classes.found}>
      <span role="status">
        {found !== undefined && `${formatCount(count(images)).exact} ${images === 1 ? "image" : "images"}`}
      </span>
      {facetNames.flatMap((name) =>
        chosenOf(search, name).map((value) => (
          <Pill
            key={`${name} ${value}`}
            withRemoveButton
            onRemove={() => onChange(toggled(search, name, value))}
            removeButtonProps={{
              "aria-label": `Remove ${facets[name].title} ${labelOf(name, value)}`,
              "aria-hidden": false,
              tabIndex: 0,
            }}
          >
            {facets[name].title}: {labelOf(name, value)}
          </Pill>
        )),
      )}
      {isNarrowed(search) && (
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(searchOf({ sort: search.sort }))}>
          Clear
        </Button>
      )}
      {isNarrowed(search) && <SaveSearch search={search} />}
    </div>
  );
}

function List({ search, onChange }: Pick<Props, "search" | "onChange">) {
  const images = useInfiniteQuery({ ...imagesQuery(search), placeholderData: keepPreviousData });
  return (
    <Panel query={images} skeleton={<Rows />}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length > 0)
          return (
            <>
              <ul className="patina-list" aria-label="Images" aria-busy={images.isPlaceholderData}>
                {items.map((image) => (
                  <ImageRow key={image.id} image={image} />
                ))}
              </ul>
              <ShowOlder query={images} what="images" mt="md" />
            </>
          );
        return isNarrowed(search) ? (
          <Empty
            title="No image matches"
            action={
              <Button onClick={() => onChange(searchOf({ sort: search.sort }))}>Show all images</Button>
            }
          >
            A word matches the beginning of a word in the name, the tags, the description, the recipe or the
            import.
          </Empty>
        ) : (
          <Empty title="No image yet" action={<LinkButton to="/devices">Choose a device</LinkButton>}>
            A finished run captures an image of its device. Age a device, or import a raw or qcow2 file.
          </Empty>
        );
      }}
    </Panel>
  );
}

function Catalog({ search, found, onChange }: Props) {
  const [showsFilters, setShowsFilters] = useState(false);
  const shown = shownFacets(search, found);
  return (
    <>
      <div className={classes.bar}>
        <SearchField
          label="Search images"
          placeholder="Name, tag, profile, file system, kernel"
          value={search.q ?? ""}
          onChange={(q) => onChange(searchOf({ ...search, q }))}
        />
        <NativeSelect
          aria-label="Order"
          data={Object.entries(sorts).map(([value, label]) => ({ value, label }))}
          value={search.sort ?? "newest"}
          onChange={(event) => onChange(searchOf({ ...search, sort: event.currentTarget.value }))}
        />
      </div>
      <SavedSearches search={search} />
      <div className={classes.catalog} data-filters={shown.length > 0}>
        <div>
          {shown.length > 0 && (
            <Button
              className={classes.toggle ?? ""}
              variant="default"
              aria-expanded={showsFilters}
              onClick={() => setShowsFilters(!showsFilters)}
            >
              {showsFilters ? "Hide filters" : "Show filters"}
            </Button>
          )}
          <div className={classes.filters} data-shown={showsFilters} role="group" aria-label="Filters">
            <Facets search={search} shown={shown} onChange={onChange} />
          </div>
        </div>
        <div>
          <Found search={search} found={found} onChange={onChange} />
          <List search={search} onChange={onChange} />
        </div>
      </div>
    </>
  );
}

export function ImagesPage() {
  const search = searchOf(useSearch({ from: "/images" }));
  // The order does not change what is found.
  const unordered = searchOf({ ...search, sort: undefined });
  const { data: found } = useQuery({ ...facetsQuery(unordered), placeholderData: keepPreviousData });
  const navigate = useNavigate();
  // The back button undoes a choice, not each typed letter.
  const change = (changed: CatalogSearch) =>
    void navigate({ to: "/images", search: changed, replace: changed.q !== search.q, resetScroll: false });
  return (
    <>
      <PageHeader
        title="Images"
        action={
          <Group gap="xs">
            <LinkButton variant="default" to="/images/trash">
              Trash
            </LinkButton>
            <May needs="member">
              <LinkButton to="/images/import">Import an image</LinkButton>
            </May>
          </Group>
        }
      >
        Aged devices, captured with their full recipe; and what was imported.
      </PageHeader>
      <JustDeleted />
      <Catalog search={search} found={found} onChange={change} />
    </>
  );
}
