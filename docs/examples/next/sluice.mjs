// One client for the whole application.
import { Sluice } from 'sluice/client';

// `next build` imports this too, where nobody need know where Sluice is.
const building = process.env.NEXT_PHASE === 'phase-production-build';

export const sluice = new Sluice({
  url: building ? 'http://localhost' : process.env.SLUICE_URL,
  token: building ? '' : process.env.SLUICE_TOKEN,
});
