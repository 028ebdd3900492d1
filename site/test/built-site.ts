import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))
/** What `npm run docs:build` writes, which `npm run test:site` runs before the tests. */
export const site: string = join(root, '.artifacts/site')

/** The pages of a site, by path, with their HTML. */
export function pagesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const pages = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html'))
  return new Map(pages.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** The values of attributes with addresses. */
export function addressesIn(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, value]) =>
    (value as string).replaceAll('&amp;', '&'),
  )
}

/** Links, scripts, styles and images of a site that lead nowhere, with the page of each. */
export function deadLinks(folder: string, base = '/'): string[] {
  const pages = pagesOf(folder)
  const ids = new Map<string, Set<string>>()
  const idsOf = (page: string) => {
    const known =
      ids.get(page) ??
      new Set(
        [...(pages.get(page) ?? '').matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string),
      )
    ids.set(page, known)
    return known
  }
  return [...pages].flatMap(([page, html]) =>
    addressesIn(html).flatMap((address) => {
      if (/^[a-z]+:/.test(address)) return []
      const [path = '', anchor] = address.split('#')
      const target = path === '' ? page : targetOf(path, page, base)
      if (target === null || !existsSync(join(folder, target))) return [`${page}: ${address}`]
      const isFound =
        !anchor || !target.endsWith('.html') || idsOf(target).has(decodeURIComponent(anchor))
      return isFound ? [] : [`${page}: ${address}`]
    }),
  )
}

/** The file of an address, relative to the folder of the site; `null` if the address is outside of the site. */
function targetOf(path: string, page: string, base: string): string | null {
  const whole = path.startsWith('/') ? path : posix.join(base, dirname(page), path)
  if (!whole.startsWith(base)) return null
  const file = whole.slice(base.length)
  return decodeURIComponent(file === '' || file.endsWith('/') ? `${file}index.html` : file)
}
