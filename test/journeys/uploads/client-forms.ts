import { png } from './form.js'

/** A form as a client library writes it: `title` is Grüße, `image` is the file of {@link png}. */
export interface ClientForm {
  readonly client: string
  readonly contentType: string
  readonly body: Buffer
  /** The name of the file as the server reads it. */
  readonly fileName: string
}

const PNG = png().toString('latin1')
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const TITLE = utf8('Grüße')
const NAME = utf8('ä.png')
/** How browsers, and all libraries that follow them, write a file name with a quote. */
const QUOTED = utf8('ä %22b%22.png')

const TITLE_HEAD = 'Content-Disposition: form-data; name="title"'
const IMAGE_HEAD = 'Content-Disposition: form-data; name="image"'
const IMAGE_TYPE = 'Content-Type: image/png'

interface Written {
  readonly boundary: string
  /** All of the header, if it is not the usual one. */
  readonly contentType?: string
  readonly title: readonly string[]
  readonly text?: string
  readonly image: readonly string[]
  readonly fileName?: string
}

/** The lines of both parts, each with CRLF, as all libraries write them. */
function formOf(client: string, written: Written): ClientForm {
  const { boundary, title, image, text = TITLE, fileName = 'ä.png' } = written
  const lines = [
    ...[`--${boundary}`, ...title, '', text],
    ...[`--${boundary}`, ...image, '', PNG],
    `--${boundary}--`,
    '',
  ]
  return {
    client,
    contentType: written.contentType ?? `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(lines.join('\r\n'), 'latin1'),
    fileName,
  }
}

/** A library that writes the heads that browsers write. */
function likeBrowsers(client: string, boundary: string): ClientForm {
  const image = [`${IMAGE_HEAD}; filename="${QUOTED}"`, IMAGE_TYPE]
  return formOf(client, { boundary, title: [TITLE_HEAD], image, fileName: 'ä %22b%22.png' })
}

const FEIGN = '18f3c2a1b4d'
const SPRING = 'vK3x-Qp_7sTzLr0N'
const APACHE = 'tO1xZcG_9Qm-4rYkP2sVbN7dLwE3fUaH'
const GUID = '0f5a0c9e-6f0f-4f0d-9d5f-6c7a0c7a7f11'
const ENCODED_NAME = '%C3%A4.png'
const LATIN_TYPE = 'Content-Type: text/plain; charset=ISO-8859-1'
const UTF_8_TYPE = 'Content-Type: text/plain; charset=UTF-8'

export const CLIENT_FORMS: readonly ClientForm[] = [
  formOf('HttpClient of .NET', {
    boundary: GUID,
    contentType: `multipart/form-data; boundary="${GUID}"`,
    title: [
      'Content-Type: text/plain; charset=utf-8',
      'Content-Disposition: form-data; name=title',
    ],
    image: [
      IMAGE_TYPE,
      "Content-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png",
    ],
    fileName: 'a.png',
  }),
  formOf('HttpClient of .NET, with a file name beyond ASCII', {
    boundary: GUID,
    contentType: `multipart/form-data; boundary="${GUID}"`,
    title: [
      'Content-Type: text/plain; charset=utf-8',
      'Content-Disposition: form-data; name=title',
    ],
    image: [
      IMAGE_TYPE,
      `Content-Disposition: form-data; name=image; filename="=?utf-8?B?w6QucG5n?="; filename*=utf-8''${ENCODED_NAME}`,
    ],
    fileName: '=?utf-8?B?w6QucG5n?=',
  }),
  formOf('Apache HttpClient 4, strict', {
    boundary: APACHE,
    title: [TITLE_HEAD, LATIN_TYPE, 'Content-Transfer-Encoding: 8bit'],
    text: 'Gr\u00fc\u00dfe',
    image: [`${IMAGE_HEAD}; filename="a.png"`, IMAGE_TYPE, 'Content-Transfer-Encoding: binary'],
    fileName: 'a.png',
  }),
  formOf('Apache HttpClient 4 with a charset', {
    boundary: APACHE,
    contentType: `multipart/form-data; boundary=${APACHE}; charset=UTF-8`,
    title: [TITLE_HEAD, UTF_8_TYPE, 'Content-Transfer-Encoding: 8bit'],
    image: [`${IMAGE_HEAD}; filename="${NAME}"`, IMAGE_TYPE, 'Content-Transfer-Encoding: binary'],
  }),
  formOf('Apache HttpClient 5', {
    boundary: APACHE,
    contentType: `multipart/form-data; charset=ISO-8859-1; boundary=${APACHE}`,
    title: [TITLE_HEAD, LATIN_TYPE],
    text: 'Gr\u00fc\u00dfe',
    image: [`${IMAGE_HEAD}; filename="a.png"`, IMAGE_TYPE],
    fileName: 'a.png',
  }),
  formOf('Apache HttpClient 5, extended', {
    boundary: APACHE,
    contentType: `multipart/form-data; charset=UTF-8; boundary=${APACHE}`,
    title: [TITLE_HEAD, UTF_8_TYPE],
    image: [`${IMAGE_HEAD}; filename="${NAME}"; filename*="UTF-8''${ENCODED_NAME}"`, IMAGE_TYPE],
  }),
  formOf('Feign', {
    boundary: FEIGN,
    contentType: `multipart/form-data; charset=UTF-8; boundary=${FEIGN}`,
    title: [TITLE_HEAD, UTF_8_TYPE],
    image: [`${IMAGE_HEAD}; filename="${NAME}"`, IMAGE_TYPE, 'Content-Transfer-Encoding: binary'],
  }),
  formOf('RestTemplate of Spring', {
    boundary: SPRING,
    contentType: `multipart/form-data;boundary=${SPRING};charset=UTF-8`,
    title: [TITLE_HEAD, 'Content-Type: text/plain;charset=UTF-8', 'Content-Length: 7'],
    image: [
      `${IMAGE_HEAD}; filename="=?UTF-8?Q?=C3=A4.png?="; filename*=UTF-8''${ENCODED_NAME}`,
      IMAGE_TYPE,
      'Content-Length: 64',
    ],
    fileName: '=?UTF-8?Q?=C3=A4.png?=',
  }),
  formOf('WebClient of Spring', {
    boundary: SPRING,
    contentType: `multipart/form-data;charset=UTF-8;boundary="${SPRING}"`,
    title: ['Content-Type: text/plain;charset=UTF-8', TITLE_HEAD],
    image: [IMAGE_TYPE, 'Content-Length: 64', `${IMAGE_HEAD}; filename="a.png"`],
    fileName: 'a.png',
  }),
  formOf('OkHttp 4', {
    boundary: GUID,
    title: [TITLE_HEAD, 'Content-Length: 7'],
    image: [`${IMAGE_HEAD}; filename="${QUOTED}"`, IMAGE_TYPE, 'Content-Length: 64'],
    fileName: 'ä %22b%22.png',
  }),
  formOf('Retrofit', {
    boundary: GUID,
    title: [TITLE_HEAD, 'Content-Transfer-Encoding: binary', UTF_8_TYPE, 'Content-Length: 7'],
    image: [`${IMAGE_HEAD}; filename="${NAME}"`, IMAGE_TYPE, 'Content-Length: 64'],
  }),
  formOf('mime/multipart of Go', {
    boundary: '7a4e9d1c0b3f5a6e8d7c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a',
    title: [TITLE_HEAD],
    image: [`${IMAGE_HEAD}; filename="${utf8('ä \\"b\\".png')}"`, IMAGE_TYPE],
    fileName: 'ä "b".png',
  }),
  likeBrowsers('requests of Python', '7c951999fe5e9ba9a347d1d06ff7c914'),
  likeBrowsers('httpx of Python', 'd6f4f0f3d2b1e5a49c8b7a6f5e4d3c2b'),
  formOf('aiohttp of Python', {
    boundary: '4b1c9a0de2f34c5f8a7b6c5d4e3f2a1b',
    title: ['Content-Type: text/plain; charset=utf-8', TITLE_HEAD],
    image: [
      IMAGE_TYPE,
      `${IMAGE_HEAD}; filename="${ENCODED_NAME}"; filename*=utf-8''${ENCODED_NAME}`,
    ],
    fileName: ENCODED_NAME,
  }),
  likeBrowsers('curl', '------------------------b59739b596ecab87'),
  likeBrowsers('Chromium', '----WebKitFormBoundarygWmudiBJ4HJFBSox'),
  likeBrowsers('Firefox', '---------------------------38475293411749503822943127604'),
  likeBrowsers('Firefox 135 and later', '----geckoformboundary3e0f7a6c1b2d4e5f60718293a4b5c6d7'),
  formOf('Safari, with a name of macOS', {
    boundary: '----WebKitFormBoundaryA1b2C3d4E5f6G7h8',
    title: [TITLE_HEAD],
    image: [`${IMAGE_HEAD}; filename="${utf8('a\u0308.png')}"`, IMAGE_TYPE],
    fileName: 'a\u0308.png',
  }),
  likeBrowsers('FormData of Node', '----formdata-undici-093471553661'),
  likeBrowsers('axios and form-data', '--------------------------aadb20d9a72a6c92ac25768b'),
  formOf('http of Dart', {
    boundary: 'dart-http-boundary-YlbT+oL6QkZ.8fXcW2_rvNhs0eJpA-gU9mDx5tKiB3CzVq7wEaH',
    title: [
      'content-disposition: form-data; name="title"',
      'content-type: text/plain; charset=utf-8',
      'content-transfer-encoding: binary',
    ],
    image: [
      'content-type: image/png',
      `content-disposition: form-data; name="image"; filename="${QUOTED}"`,
    ],
    fileName: 'ä %22b%22.png',
  }),
  formOf('Guzzle of PHP', {
    boundary: '5f1d3b7a9c0e2f4d6b8a1c3e5f7d9b0a2c4e6f80',
    title: [TITLE_HEAD, 'Content-Length: 7'],
    image: [`${IMAGE_HEAD}; filename="${NAME}"`, 'Content-Length: 64', IMAGE_TYPE],
  }),
]
