/** How requests reach a target: in process for the lab, over the network for any other server. Never follows redirects. */
export type Transport = (request: Request) => Promise<Response>;
