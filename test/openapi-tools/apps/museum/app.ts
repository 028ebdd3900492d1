import { type AppOptions, defineAppOptions, defineControllers } from 'blazon'
import multer from 'multer'
import { ExhibitsController } from './exhibits-controller.js'
import { FilesController } from './files-controller.js'
import { MuseumGuard } from './museum-guard.js'
import { RoomsController } from './rooms-controller.js'

const about = {
  contact: { name: 'The museum', url: 'https://example.com', email: 'api@example.com' },
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
}

const files = { name: 'Files', description: 'What there is to read.' }

/** An application that uses everything that a document can contain, with schemas of zod. */
export const options: AppOptions = defineAppOptions({
  controllers: defineControllers(ExhibitsController, RoomsController, FilesController),
  middlewares: [multer({ storage: multer.memoryStorage() }).any()],
  auth: { guard: MuseumGuard },
  logger: false,
  openapi: [
    {
      ...about,
      title: 'Museum',
      version: '2.1.0',
      description: 'Exhibits, the rooms they stand in, and files about them.',
      termsOfService: 'https://example.com/terms',
      servers: [{ url: '/', description: 'Where the document is' }],
      tags: [
        { name: 'Exhibits', description: 'What there is to see.' },
        { name: 'Collection', description: 'What the museum owns.' },
        { name: 'Rooms', description: 'Where it stands.' },
        files,
      ],
    },
    {
      ...about,
      path: '/files-docs',
      title: 'Museum: files',
      description: 'Only the files.',
      include: ({ path }) => path.startsWith('/files'),
      tags: [files],
    },
  ],
})
