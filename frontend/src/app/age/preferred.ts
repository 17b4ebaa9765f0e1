// The choice that is carried to the devices, in the address of their page.
import type { AgingMode } from "../../shared/modes";

/** Choices in the address: a profile, or a point picked on its curve. */
export interface Preferred {
  profile?: string;
  /** The version of that profile. */
  version?: number;
  max_rmse?: number;
  /** The run whose settings are reused. */
  like?: number;
  /** Replaces that run's mode. */
  mode?: AgingMode;
  /** The run whose operation log is replayed, and whether only its survivors are created. */
  replay_of?: number;
  survivors?: boolean;
  /** The image to restore. */
  restore?: number;
}
