// `@Inject` on fields as TC39 wrote decorators; the legacy cases are beside it in `legacy/`.
import { Inject, Injectable, InjectionToken } from 'blazon'

const Now = new InjectionToken<() => Date>('Now')

@Injectable()
export class Service {
  @Inject(Now) readonly now!: () => Date
  @Inject('config') accessorless: { url: string } | undefined
}

export class Bad {
  // @ts-expect-error @Inject describes fields
  @Inject(Now)
  method() {}

  // @ts-expect-error an accessor is no field
  @Inject(Now)
  accessor now: unknown
}
