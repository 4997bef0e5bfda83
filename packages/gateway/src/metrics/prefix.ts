/** What the name of every metric of ours begins with. */
export const PREFIX = 'asset_gateway_';
