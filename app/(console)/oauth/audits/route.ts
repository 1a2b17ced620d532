/** The page's address before it was renamed. */
export const GET = () => new Response(null, { status: 308, headers: { Location: '/oauth/assessments' } });
