import { walkRefusals } from './walk';

walkRefusals('next start');
