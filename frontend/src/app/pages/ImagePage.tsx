// One image: how to use it, what it is, how it came to be.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { HistogramName, Image } from "../../api/client";
import { ImageFigures } from "../../features/image/ImageFigures";
import { ImageRecipe } from "../../features/image/ImageRecipe";
import { ImageUse } from "../../features/image/ImageUse";
import { imageQuery } from "../../features/image/queries";
import { HistogramFigure, TargetObservedKey } from "../../shared/chart/HistogramFigure";
import { freeSpaceBins } from "../../shared/chart/histogram";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";
import { formatTime } from "../../shared/units";
import { NotFoundPage } from "./NotFoundPage";

const names: readonly HistogramName[] = ["size", "depth", "age"];

function Provenance({ image }: { image: Image }) {
  const made = formatTime(image.created_at);
  return (
    <>
      {image.profile_title} version {image.profile_version_number} on {image.file_system}, made by{" "}
      <Link to="/runs/$runId" params={{ runId: String(image.run_id) }} className="patina-link">
        run {image.run_id}
      </Link>{" "}
      <span title={made.exact}>{made.text}</span>
    </>
  );
}

function Content({ image }: { image: Image }) {
  const { summary } = image;
  return (
    <div className="patina-stack">
      <ImageFigures image={image} />
      <ImageUse image={image} />
      <section aria-labelledby="histograms">
        <div className="patina-section">
          <h2 id="histograms">Target and observed</h2>
          <TargetObservedKey />
        </div>
        <div className="patina-charts">
          {names.map((name) => (
            <HistogramFigure
              key={name}
              axis={name}
              bins={summary.histograms[name].bins}
              accuracy={summary.histograms[name]}
            />
          ))}
        </div>
        <SetAsideNote bins={summary.set_aside} />
      </section>
      {summary.free_extents !== null && (
        <section aria-label="Free space">
          <HistogramFigure axis="free_extents" bins={freeSpaceBins(summary.free_extents)} ticks={5} />
        </section>
      )}
      <ImageRecipe image={image} />
    </div>
  );
}

export function ImagePage({ id }: { id: string }) {
  const image_id = Number(id);
  const isAddress = Number.isSafeInteger(image_id) && image_id > 0;
  const image = useQuery({ ...imageQuery(image_id), enabled: isAddress });
  if (!isAddress) return <NotFoundPage />;
  return (
    <>
      <PageHeader title={image.data?.name ?? `Image ${image_id}`}>
        {image.data !== undefined && <Provenance image={image.data} />}
      </PageHeader>
      <Panel query={image} skeleton={<Skeleton height={560} />}>
        {(data) => <Content image={data} />}
      </Panel>
    </>
  );
}
