// The saved searches of the own account: links to them, and a form that saves the present one.
import { Button, CloseButton, Group, Popover, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { searchesQuery, useRemoveSearch, useSaveSearch } from "./saved";
import classes from "./SavedSearches.module.css";
import { isNarrowed, searchOf, type CatalogSearch } from "./words";

function SaveForm({ search, onDone }: { search: CatalogSearch; onDone: () => void }) {
  const save = useSaveSearch();
  const [name, setName] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate({ name, search }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name of the search"
        description="One of the same name is replaced"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      {save.isError && <RefusalNotice error={save.error} />}
      <Button type="submit" mt="xs" loading={save.isPending} disabled={name.trim() === ""}>
        Save
      </Button>
    </form>
  );
}

export function SaveSearch({ search }: { search: CatalogSearch }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus width={280} position="bottom-start">
      <Popover.Target>
        <Button variant="subtle" size="compact-sm" onClick={() => setOpen(!isOpen)}>
          Save this search
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <SaveForm search={search} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Reports whether two searches, as in the address, are equal. */
function isSame(one: CatalogSearch, other: CatalogSearch): boolean {
  const sorted = (search: CatalogSearch) => Object.entries(search).sort(([a], [b]) => a.localeCompare(b));
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

export function SavedSearches({ search }: { search: CatalogSearch }) {
  const { data: searches = [] } = useQuery(searchesQuery);
  const remove = useRemoveSearch();
  if (searches.length === 0) return null;
  return (
    <nav aria-label="Saved searches" className={classes.saved}>
      <Group gap="md">
        {searches.map((saved) => {
          const wanted = searchOf({ ...saved.search });
          const isShown = isNarrowed(search) && isSame(wanted, search);
          return (
            <span key={saved.id} className={classes.search}>
              <Link
                to="/images"
                search={wanted}
                className="patina-link"
                aria-current={isShown ? "page" : undefined}
              >
                {saved.name}
              </Link>
              {isShown && (
                <CloseButton
                  size="xs"
                  aria-label={`Remove the saved search ${saved.name}`}
                  disabled={remove.isPending}
                  onClick={() => remove.mutate(saved.id)}
                />
              )}
            </span>
          );
        })}
      </Group>
      {remove.isError && <RefusalNotice error={remove.error} />}
    </nav>
  );
}
