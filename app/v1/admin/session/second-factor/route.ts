import {
  confirmSecondFactor,
  getSecondFactor,
  startSecondFactor,
  turnOffSecondFactor,
} from '@/lib/admin/session/second-factor';
import { route } from '@/lib/process/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  getSecondFactor,
  startSecondFactor,
  confirmSecondFactor,
  turnOffSecondFactor,
);
