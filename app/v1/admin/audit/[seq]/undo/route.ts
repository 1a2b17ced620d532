import { undoChange } from '@/lib/admin/undo/undo';
import { route } from '@/lib/process/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(undoChange);
