/** Hosts whose connections do not leave the machine. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether the response of a URL cannot be changed on its way: `https`, or `http` on the same machine. */
export function isSafeUrl(value: unknown): boolean {
  if (!URL.canParse(String(value))) return false
  const { protocol, hostname, username, password } = new URL(String(value))
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
