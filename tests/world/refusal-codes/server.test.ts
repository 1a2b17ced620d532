import { walkRefusals } from './walk';

walkRefusals('server.mjs');
