// Starts the frontend.
import "@fontsource/inter/latin-400.css";
import "@fontsource/inter/latin-600.css";
import "@fontsource/jetbrains-mono/latin-400.css";
import "./app/global.css";
import "virtual:mantine-styles";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { nonce } from "./app/nonce";
import { Providers } from "./app/Providers";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
setNonce(nonce()); // for the style element that locks the page behind a dialog
createRoot(root).render(
  <StrictMode>
    <Providers />
  </StrictMode>,
);
