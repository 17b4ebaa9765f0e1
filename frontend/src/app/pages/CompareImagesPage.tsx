// The comparison of two images; the address names them.
import { Button, Group } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ImageItem } from "../../api/client";
import { CompareImages } from "../../features/image/compare/CompareImages";
import { imageQuery, imagesOfQuery } from "../../features/image/queries";
import { ImagePicker } from "../../features/image/search/ImagePicker";
import { describe } from "../../features/image/words";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Rows, TextLines } from "../../shared/ui/waiting/shapes";
import { Panel } from "../../shared/ui/Panel";
import { bytes, formatBytes } from "../../shared/units";

const textOf = (image: ImageItem) =>
  `${image.name}, ${describe(image)}, ${formatBytes(bytes(image.size_bytes)).text}`;

function Both({ first, second }: { first: number; second: number }) {
  const left = useQuery(imageQuery(first));
  const right = useQuery(imageQuery(second));
  const skeleton = <Rows count={12} height={35} />;
  return (
    <Panel query={left} skeleton={skeleton}>
      {(a) => (
        <Panel query={right} skeleton={skeleton}>
          {(b) => <CompareImages first={a} second={b} />}
        </Panel>
      )}
    </Panel>
  );
}

/** Says what to choose next, or that the same image was chosen twice. */
function Instead({ first, second }: { first: number | undefined; second: number | undefined }) {
  return (
    <p className="patina-quiet">
      {first !== undefined && first === second
        ? "The same image was chosen twice. Choose another one."
        : "Choose two images: their bytes, figures, layout reports and recipes are compared."}
    </p>
  );
}

// Its type is written: derived, it would depend on the addresses, which depend on it.
export function CompareImagesPage(): ReactNode {
  const { first, second } = useSearch({ from: "/images/compare" });
  const navigate = useNavigate();
  const known = useQuery({
    ...imagesOfQuery([first, second].filter((id) => id !== undefined)),
    placeholderData: keepPreviousData,
  });
  const imageOf = (id: number | undefined) => known.data?.find((image) => image.id === id) ?? null;
  const go = (change: { first?: number; second?: number }) =>
    void navigate({
      to: "/images/compare",
      search: (before) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  const isReady = first !== undefined && second !== undefined && first !== second;
  return (
    <>
      <PageHeader
        title="Compare images"
        action={
          <LinkButton variant="default" to="/images">
            Catalog
          </LinkButton>
        }
      />
      <Panel query={known} skeleton={<TextLines count={2} />}>
        {() => (
          <Group gap="md" mb="lg" align="flex-end">
            {(["first", "second"] as const).map((which) => (
              <div key={`${which} ${which === "first" ? first : second}`} style={{ flex: "1 1 280px" }}>
                <ImagePicker
                  label={which === "first" ? "First image" : "Second image"}
                  value={imageOf(which === "first" ? first : second)}
                  textOf={textOf}
                  isDisabled={({ id }) => id === (which === "first" ? second : first)}
                  onPick={({ id }) => go({ [which]: id })}
                />
              </div>
            ))}
            {isReady && (
              <Button variant="default" onClick={() => go({ first: second, second: first })}>
                Swap
              </Button>
            )}
          </Group>
        )}
      </Panel>
      {isReady ? (
        <Both key={`${first} ${second}`} first={first} second={second} />
      ) : (
        <Instead first={first} second={second} />
      )}
    </>
  );
}
