import { listAssessments } from '@/lib/admin/assessments/list';
import { startAssessment } from '@/lib/admin/assessments/start';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listAssessments, startAssessment);
