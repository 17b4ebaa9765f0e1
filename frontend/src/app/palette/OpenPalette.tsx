// The button that opens the palette, and its shortcut; the palette's code is fetched when it is first opened.
import { Kbd, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { later } from "../../shared/later";
import { closePalette, openPalette, usePaletteIsOpen } from "./opening";
import classes from "./OpenPalette.module.css";

const Palette = later(async () => (await import("./Palette")).Palette);

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function OpenPalette() {
  const isOpen = usePaletteIsOpen();
  const [wasOpened, setWasOpened] = useState(false);
  if (isOpen && !wasOpened) setWasOpened(true);
  // In fields too.
  useHotkeys([["mod+K", () => (isOpen ? closePalette() : openPalette())]], []);
  return (
    <>
      <UnstyledButton
        className={classes.open ?? ""}
        onClick={openPalette}
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
      >
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>Go to…</span>
        <Kbd className={classes.keys ?? ""}>{isApple ? "⌘ K" : "Ctrl K"}</Kbd>
      </UnstyledButton>
      {wasOpened && <Palette isOpen={isOpen} onClose={closePalette} />}
    </>
  );
}
