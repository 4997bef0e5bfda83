/** The gateway that the command line talks to, unless told otherwise: the public origin it was started with. */
export const gatewayUrl = (): string => process.env.ASSET_GATEWAY_URL?.trim() || 'http://localhost:8402';
