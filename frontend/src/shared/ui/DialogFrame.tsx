// The frame of a dialog, in a file of its own so that its code is fetched apart.
export { Modal as DialogFrame } from "@mantine/core";
