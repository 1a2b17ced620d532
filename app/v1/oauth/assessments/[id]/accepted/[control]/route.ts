import { acceptFinding } from '@/lib/admin/assessments/accept';
import { withdrawAcceptance } from '@/lib/admin/assessments/withdraw-acceptance';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(acceptFinding, withdrawAcceptance);
