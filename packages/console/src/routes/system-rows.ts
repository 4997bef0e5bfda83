// Generated from the route table by `npm run docs`. Do not edit.
export const SYSTEM_ROWS = [
  {"method":"liveness","httpMethod":"GET","path":"/healthz","description":"Liveness probe.","inputSchema":{}},
  {"method":"readiness","httpMethod":"GET","path":"/readyz","description":"Readiness probe: 200 while this node can serve signed and paid requests.","inputSchema":{}},
  {"method":"catalog","httpMethod":"GET","path":"/v1/catalog","description":"Every enabled route, its access mode and its price.","inputSchema":{"type":"object","properties":{"provider":{"enum":["alchemy","helius","tokens"],"type":"string","description":"Only the routes of one provider."}},"additionalProperties":false},"inputExample":{"provider":"tokens"}},
  {"method":"openapi","httpMethod":"GET","path":"/openapi.json","description":"Every enabled route as OpenAPI 3.1.","inputSchema":{}},
  {"method":"wellKnown","httpMethod":"GET","path":"/.well-known/x402","description":"The x402 resources of this service.","inputSchema":{}},
  {"method":"llms","httpMethod":"GET","path":"/llms.txt","description":"The routes and how to call them, as text for language models.","inputSchema":{}},
];
