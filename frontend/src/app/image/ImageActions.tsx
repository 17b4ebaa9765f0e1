// What can be done with an image: the next step first, the rare ones in a menu.
import { Button, Group, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Image } from "../../api/client";
import { DeleteImage } from "../../features/image/DeleteImage";
import { imageQuery, useShareImage } from "../../features/image/queries";
import { ShareWith } from "../../shared/link/ShareWith";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";

function More({ image }: { image: Image }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  /** Removes the image from the cache once its page is left: the back button then says that it is deleted. */
  const leave = async () => {
    await navigate({ to: "/images" });
    await queries.resetQueries(imageQuery(image.id));
  };
  return (
    <>
      <Menu transitionProps={{ duration: 0 }} position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            renderRoot={(props) => <Link to="/trials/new" search={{ images: String(image.id) }} {...props} />}
          >
            Measure it in a trial
          </Menu.Item>
          <Menu.Item component="a" href="#cite">
            Cite
          </Menu.Item>
          {image.is_changeable && (
            <>
              <Menu.Divider />
              <Menu.Item color="copper" onClick={() => setDeleting(true)}>
                Delete this image…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {isDeleting && (
        <DeleteImage image={image} onClose={() => setDeleting(false)} onDeleted={() => void leave()} />
      )}
    </>
  );
}

export function ImageActions({ image }: { image: Image }) {
  return (
    <Group gap="xs">
      <May needs="member">
        <LinkButton to="/devices" search={{ restore: image.id }}>
          Restore to a device
        </LinkButton>
      </May>
      <Button component="a" variant="default" href="#downloads">
        Download
      </Button>
      <LinkButton variant="default" to="/images/compare" search={{ first: image.id }}>
        Compare
      </LinkButton>
      <ShareWith
        shared={image}
        share={useShareImage(image)}
        shown={{ image_id: image.id }}
        what="this image and its downloads"
      />
      <May needs="member">
        <More image={image} />
      </May>
    </Group>
  );
}
