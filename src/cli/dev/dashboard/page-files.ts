import { readFileSync } from 'node:fs'
import { iconContent } from '../../../features/docs/page-parts.js'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly body: string | Buffer
}

/** The files of the page by the paths at which they are served. */
export type PageFiles = ReadonlyMap<string, PageFile>

/**
 * Reads the files of the page.
 *
 * @param folder Default: where the build has put them, beside this module.
 */
export function readPageFiles(folder: URL = new URL('./page/', import.meta.url)): PageFiles {
  const read = (name: string) => readFileSync(new URL(name, folder))
  return new Map<string, PageFile>([
    ['/', { type: 'text/html; charset=utf-8', body: read('page.html') }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: read('page.js') }],
    ['/icon.svg', { type: 'image/svg+xml', body: iconContent().bytes }],
  ])
}

/**
 * The headers of each response. The policy allows the files of the page and no other: no script or style in the markup, no
 * markup from texts, no other origin, no frame around it.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
