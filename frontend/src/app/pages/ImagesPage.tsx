// The catalog of images, newest first.
import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ImageRow } from "../../features/image/ImageRow";
import { imagesQuery } from "../../features/image/queries";
import { Empty } from "../../shared/ui/Empty";
import { PageHeader } from "../../shared/ui/PageHeader";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";

export function ImagesPage() {
  const images = useInfiniteQuery(imagesQuery);
  return (
    <>
      <PageHeader title="Images" action={<LinkButton to="/images/import">Import an image</LinkButton>}>
        Aged devices, captured with their full recipe; and what was imported.
      </PageHeader>
      <Panel query={images} skeleton={<Skeleton height={320} />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <Empty title="No image yet" action={<LinkButton to="/devices">Choose a device</LinkButton>}>
              A finished run captures an image of its device. Age a device, or import a raw or qcow2 file.
            </Empty>
          ) : (
            <>
              <ul className="patina-list" aria-label="Images">
                {pages
                  .flatMap((page) => page.items)
                  .map((image) => (
                    <ImageRow key={image.id} image={image} />
                  ))}
              </ul>
              <ShowOlder query={images} what="images" mt="md" />
            </>
          )
        }
      </Panel>
    </>
  );
}
