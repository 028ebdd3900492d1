/** The file name of the icon of both pages. */
export const ICON_FILE = 'icon.svg' as const

/** The file name of the style of the built-in page. */
export const STYLE_FILE = 'reference.css'

/** A file of swagger-ui's page. */
export type InteractiveFile =
  | 'swagger-ui.css'
  | 'docs.css'
  | 'icon.svg'
  | 'swagger-ui-bundle.js'
  | 'session-authorization.js'
  | 'streams.js'
  | 'init.js'

/** The files of the built-in page. Their routes exist before the code of a page is loaded. */
export const REFERENCE_FILES: readonly string[] = [STYLE_FILE, ICON_FILE]

/**
 * The files of swagger-ui's page, in the order in which the page loads them. Only in development, a file stores the input of the
 * "Authorize" dialog.
 */
export function interactiveFiles(isProduction: boolean): readonly InteractiveFile[] {
  const session = 'session-authorization.js'
  return [
    'swagger-ui.css',
    'docs.css',
    ICON_FILE,
    'swagger-ui-bundle.js',
    ...(isProduction ? [] : ([session] as const)),
    'streams.js',
    'init.js',
  ]
}
