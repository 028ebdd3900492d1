// Repositories have the type of their entity, and options are those of TypeORM.
import { inject } from 'blazon'
import { dataSourceOf, repositoryOf, typeorm } from 'blazon/typeorm'
import { DataSource, type EntitySchema, type Repository } from 'typeorm'
import type { Equal, Expect } from '../expect.js'

class User {
  id!: number
  email!: string
}

interface Note {
  id: number
}

declare const NoteEntity: EntitySchema<Note>

export class Asked {
  readonly users = inject(repositoryOf(User))
  readonly notes = inject(repositoryOf(NoteEntity, 'archive'))
  readonly archive = inject(dataSourceOf('archive'))
  readonly dataSource = inject(DataSource)
}

export type Checks = [
  Expect<Equal<Asked['users'], Repository<User>>>,
  Expect<Equal<Asked['notes'], Repository<Note>>>,
  Expect<Equal<Asked['archive'], DataSource>>,
  Expect<Equal<Asked['dataSource'], DataSource>>,
]

typeorm({ type: 'sqljs', entities: [User, NoteEntity], synchronize: true })
typeorm({ name: 'archive', type: 'postgres', url: 'postgres://localhost' })
// @ts-expect-error: there is no such driver
typeorm({ type: 'sqlite' })
// @ts-expect-error: an option of another driver
typeorm({ type: 'sqljs', applicationName: 'shop' })
// @ts-expect-error: not an entity
repositoryOf('User')
