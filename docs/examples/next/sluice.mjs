// One client for the whole application.
import { Sluice } from 'sluice/client';

export const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
