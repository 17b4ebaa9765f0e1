// One image: its downloads, figures and provenance.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  hasRecipe,
  isAged,
  Refusal,
  type HistogramName,
  type Image,
  type ImageOfAging,
} from "../../api/client";
import { CiteImage } from "../../features/image/cite/CiteImage";
import { ImageDownloads } from "../../features/image/ImageDownloads";
import { AgingFigures, ImageSummary } from "../../features/image/ImageFigures";
import { ImageLayout } from "../../features/image/ImageLayout";
import { ImageProvenance } from "../../features/image/ImageProvenance";
import { ImageRecipe } from "../../features/image/ImageRecipe";
import { ImageSize } from "../../features/image/ImageSize";
import { UnboundedNotice } from "../../features/image/UnboundedNotice";
import { UsedBy } from "../../features/image/UsedBy";
import { ImageNames } from "../../features/image/naming/ImageNames";
import { ImageReproduction } from "../../features/image/reproduction/ImageReproduction";
import { deletedImagesQuery, imageQuery, useBringBackImage } from "../../features/image/queries";
import { contentUnknown, describe } from "../../features/image/words";
import { HistogramFigure, TargetObservedKey } from "../../shared/chart/histogram/HistogramFigure";
import { notReadable } from "../../shared/modes";
import { Exact } from "../../shared/ui/Exact";
import { LinkButton } from "../../shared/ui/LinkButton";
import { workloadOf } from "../../shared/goal";
import { ImageActions } from "../image/ImageActions";
import { ReproduceImage } from "../again/ReproduceImage";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";
import { formatTime } from "../../shared/units";
import { NotFoundPage } from "./NotFoundPage";
import { FigureLines, Rows, TextLines } from "../../shared/ui/waiting/shapes";

const names: readonly HistogramName[] = ["size", "depth", "age"];

function Provenance({ image }: { image: Image }) {
  const made = formatTime(image.created_at);
  if (!isAged(image)) {
    return (
      <>
        {describe(image)}, <span title={made.exact}>{made.text}</span>
      </>
    );
  }
  return (
    <>
      {image.profile_title === null
        ? workloadOf(image.recipe)
        : `${image.profile_title} version ${image.profile_version_number}`}{" "}
      on {image.file_system}, {image.parent === null ? "captured from" : "a trial on the image of"}{" "}
      <Link to="/runs/$runId" params={{ runId: String(image.run_id) }} className="patina-link">
        run {image.run_id}
      </Link>
      {image.parent === null ? ", " : ", captured "}
      <span title={made.exact}>{made.text}</span>
    </>
  );
}

function Histograms({ image: { summary, parent } }: { image: ImageOfAging }) {
  const { histograms } = summary;
  if (histograms === null) return null; // of a workload
  return (
    <section aria-labelledby="histograms">
      <div className="patina-section">
        <h2 id="histograms">
          {parent === null ? "Target and observed" : "Target and observed, of its parent"}
        </h2>
        <TargetObservedKey />
      </div>
      <div className="patina-charts">
        {names.map((name) => (
          <HistogramFigure key={name} axis={name} bins={histograms[name].bins} accuracy={histograms[name]} />
        ))}
      </div>
      <SetAsideNote bins={summary.set_aside} />
    </section>
  );
}

function Content({ image }: { image: Image }) {
  return (
    <div className="patina-stack">
      {isAged(image) && <UnboundedNotice image={image} />}
      {!image.is_content_known && (
        <p>
          <StateMark tone="bad">Content unknown</StateMark>{" "}
          <span className="patina-quiet">{contentUnknown}</span>
        </p>
      )}
      <ImageSummary image={image} />
      <ImageNames image={image} />
      <UsedBy image={image} />
      <ImageSize image={image} />
      <ImageDownloads image={image} />
      {isAged(image) && <AgingFigures image={image} />}
      {hasRecipe(image) && <Histograms image={image} />}
      <ImageLayout image={image} />
      <ImageProvenance image={image} />
      <ImageReproduction image={image} />
      {hasRecipe(image) && (
        <ImageRecipe
          image={image}
          action={
            <May needs="member">
              <ReproduceImage image={image} />
            </May>
          }
        />
      )}
      <CiteImage image={image} />
    </div>
  );
}

function Waiting() {
  return (
    <div className="patina-stack">
      <FigureLines count={8} />
      <FigureLines count={5} />
      <Rows count={4} height={80} />
      <TextLines />
    </div>
  );
}

function NoSuchImage({ image_id }: { image_id: number }) {
  return (
    <>
      <PageHeader title="Image not found">
        There is no image {image_id}. It may be private to another account, of another installation, or
        permanently deleted.
      </PageHeader>
      <LinkButton to="/images">Go to the catalog</LinkButton>
    </>
  );
}

function DeletedImage({ image_id }: { image_id: number }) {
  const bringBack = useBringBackImage();
  const deleted = useQuery(deletedImagesQuery);
  const image = deleted.data?.find(({ id }) => id === image_id);
  return (
    <>
      <PageHeader title="Image deleted">
        {image === undefined ? (
          `Image ${image_id} is deleted. It can be brought back within its grace period.`
        ) : (
          <>
            Image {image.name} is deleted. It can be brought back until{" "}
            <Exact value={formatTime(image.kept_until)} />.
          </>
        )}
      </PageHeader>
      <Group gap="xs">
        <May needs="member">
          <Button loading={bringBack.isPending} onClick={() => bringBack.mutate(image_id)}>
            Bring it back
          </Button>
        </May>
        <LinkButton variant="default" to="/images/trash">
          Trash
        </LinkButton>
      </Group>
      {bringBack.isError && <RefusalNotice error={bringBack.error} />}
    </>
  );
}

export function ImagePage({ id }: { id: string }) {
  const image_id = Number(id);
  const isAddress = Number.isSafeInteger(image_id) && image_id > 0;
  const image = useQuery({ ...imageQuery(image_id), enabled: isAddress });
  if (!isAddress) return <NotFoundPage />;
  if (image.error instanceof Refusal) {
    const { code } = image.error;
    if (code === "image_deleted") return <DeletedImage image_id={image_id} />;
    if (code === "image_unknown") return <NoSuchImage image_id={image_id} />;
  }
  return (
    <>
      <PageHeader
        title={image.data?.name ?? `Image ${image_id}`}
        action={image.data !== undefined && <ImageActions image={image.data} />}
      >
        {image.data !== undefined && <Provenance image={image.data} />}
        {image.data?.is_readable === false && `; ${notReadable}`}
      </PageHeader>
      <Panel query={image} skeleton={<Waiting />}>
        {(data) => <Content image={data} />}
      </Panel>
    </>
  );
}
