import { type Content, createContent } from './content.js'

/** A shield with a diagonal division: the icon of both pages. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M4 3h24v12c0 7-5 12-12 15C9 27 4 22 4 15z" fill="#3457d5"/>
<path d="M4 3h24L6 21a13 13 0 0 1-2-6z" fill="#8aa2f5"/>
</svg>
`

export function iconContent(): Content {
  return createContent('image/svg+xml', SVG)
}
