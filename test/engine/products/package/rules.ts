/**
 * Rules of the published specifications for the descriptions of a package: the profiles of Data Package 2.0, RO-Crate
 * 1.3 (root data entity, data entities, JSON-LD), Croissant 1.1 (dataset-level information, resources, record sets),
 * the schema of Citation File Format 1.2.0, and what pymovements 0.26 takes. Transcribed by hand, and nothing of it
 * from our own code.
 */

export type Json = { [key: string]: unknown }

/** Gathers the rules that are broken, in a sentence each. */
function rules(): { broken: string[]; need: (isMet: boolean, sentence: string) => void } {
  const broken: string[] = []
  return {
    broken,
    need: (isMet, sentence) => {
      if (!isMet) broken.push(sentence)
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : [])
const isBelow = (path: unknown) => isText(path) && !path.startsWith('/') && !path.split('/').includes('..')
const SHA256 = /^[0-9a-f]{64}$/
const DAY = /^\d{4}-(0[1-9]|1[012])-(0[1-9]|[12]\d|3[01])$/
const unknownKeys = (value: Json, known: string) => Object.keys(value).filter((key) => !known.split(' ').includes(key))

const FORMATS: Record<string, string[]> = {
  string: ['default', 'email', 'uri', 'binary', 'uuid'],
  number: ['default'],
  integer: ['default'],
  boolean: ['default'],
  array: ['default'],
  datetime: ['default', 'any'],
}

export function brokenInDataPackage(text: string): string[] {
  const { broken, need } = rules()
  const about: Json = JSON.parse(text)
  need(about.$schema === 'https://datapackage.org/profiles/2.0/datapackage.json', '$schema names the profile')
  need(isText(about.name) && /^[a-z0-9._-]+$/.test(about.name), 'name is lower case letters, digits, ., _ and -')
  need(!Number.isNaN(Date.parse(String(about.created))), 'created is a time')
  for (const key of ['id', 'title', 'description', 'version']) need(isText(about[key]), `${key} is text`)
  const resources = listOf(about.resources)
  need(resources.length > 0, 'there is a resource')
  need(new Set(resources.map(({ name }) => name)).size === resources.length, 'names of resources are unique')
  for (const { name, path, type, format, mediatype, encoding, bytes, hash, schema } of resources) {
    need(isText(name), 'a resource has a name')
    need(isBelow(path), `${name}: path lies below the description`)
    need(type === 'table', `${name}: type is table`)
    need(isText(format) && isText(mediatype), `${name}: format and mediatype are text`)
    need(format !== 'csv' || encoding === 'utf-8', `${name}: text has an encoding`)
    need(Number.isInteger(bytes), `${name}: bytes is whole`)
    need(/^sha256:[0-9a-f]{64}$/.test(String(hash)), `${name}: hash names its algorithm`)
    const fields = listOf((schema as Json).fields)
    need(fields.length > 0, `${name}: there are fields`)
    need(new Set(fields.map((field) => field.name)).size === fields.length, `${name}: names of fields are unique`)
    for (const field of fields) {
      const formats = FORMATS[String(field.type)]
      need(formats !== undefined, `${name}: ${field.type} is a type`)
      need(
        formats?.includes(String(field.format ?? 'default')),
        `${name}: ${field.type} has the format ${field.format}`,
      )
      need(isText(field.name) && isText(field.description), `${name}: a field has a name and a description`)
      need(
        listOf(field.missingValues).every((value) => typeof value === 'string'),
        `${name}: missing values are text`,
      )
    }
  }
  return broken
}

export function brokenInRoCrate(text: string, files: string[]): string[] {
  const { broken, need } = rules()
  const { '@context': context, '@graph': graph }: Json = JSON.parse(text)
  need(context === 'https://w3id.org/ro/crate/1.3/context', '@context is that of 1.3')
  const entities = new Map(listOf(graph).map((entity) => [entity['@id'] as string, entity]))
  need(entities.size === listOf(graph).length, 'each entity is there once')
  const descriptor = entities.get('ro-crate-metadata.json')
  need(descriptor?.['@type'] === 'CreativeWork', 'the descriptor is a CreativeWork')
  need((descriptor?.conformsTo as Json)?.['@id'] === 'https://w3id.org/ro/crate/1.3', 'the descriptor conforms to 1.3')
  const root = entities.get(String((descriptor?.about as Json)?.['@id']))
  need(root?.['@id'] === './' && root['@type'] === 'Dataset', 'the root is a Dataset')
  for (const key of ['name', 'description', 'datePublished']) need(isText(root?.[key]), `the root has a ${key}`)
  need(DAY.test(String(root?.datePublished)), 'datePublished is a day')
  const license = entities.get(String((root?.license as Json)?.['@id']))
  need(isText(license?.name) && isText(license?.description), 'the license has a name and a description')
  for (const entity of entities.values()) {
    need(isText(entity['@type']), `${entity['@id']} has a type`)
    for (const value of Object.values(entity).flat()) {
      if (!isObject(value)) continue
      need(Object.keys(value).join() === '@id', `${entity['@id']} nests nothing`)
      const id = String(value['@id'])
      need(entities.has(id) || id.startsWith('https://'), `${entity['@id']} refers to ${id}, which is there`)
    }
  }
  const parts = listOf(root?.hasPart).map((part) => String(part['@id']))
  need(new Set(parts).size === parts.length, 'each part is there once')
  for (const id of parts) {
    const file = entities.get(id)
    need(file?.['@type'] === 'File', `${id} is a File`)
    need(isText(file?.name) && isText(file?.encodingFormat), `${id} has a name and an encoding format`)
    need(files.includes(decodeURI(id)), `${id} is there`)
  }
  const described = [...parts, 'ro-crate-metadata.json'].sort()
  need(described.join() === [...files].sort().join(), 'every file is a part')
  return broken
}

const ATOMIC = ['sc:Boolean', 'sc:Date', 'sc:Time', 'sc:DateTime', 'sc:Float', 'sc:Integer', 'sc:Text']

/** Terms that mlcroissant 1.1.0 has in its own context and misses in another's. */
const CROISSANT_TERMS = `@language @vocab arrayShape citeAs column conformsTo containedIn cr rai data dataType dct
  equivalentProperty examples extract field fileProperty fileObject fileSet format includes isArray isLiveDataset
  jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate sc separator source
  subField transform`

export function brokenInCroissant(text: string): string[] {
  const { broken, need } = rules()
  const about: Json = JSON.parse(text)
  const context = about['@context'] as Json
  const { '@vocab': vocabulary, sc, cr } = context
  need(vocabulary === 'https://schema.org/' && sc === vocabulary, 'schema.org by https, or mlcroissant sees no Dataset')
  need(cr === 'http://mlcommons.org/croissant/', 'the address of Croissant')
  const unknown = CROISSANT_TERMS.split(/\s+/).filter((term) => context[term] === undefined)
  need(unknown.length === 0, `${unknown} in the context`)
  need(/^\d+\.\d+\.\d+(\+[0-9a-f]+)?$/.test(String(about.version)), 'version is MAJOR.MINOR.PATCH')
  need(about['@type'] === 'sc:Dataset', '@type is sc:Dataset')
  need(about.conformsTo === 'http://mlcommons.org/croissant/1.1', 'conformsTo names 1.1')
  for (const key of ['name', 'description', 'url', 'version', 'citeAs']) need(isText(about[key]), `${key} is text`)
  need(URL.canParse(String(about.url)), 'url is one')
  need(DAY.test(String(about.datePublished)), 'datePublished is a day')
  for (const key of ['license', 'creator']) need(isObject(about[key]), `there is a ${key}`)
  const ids = new Set<string>()
  const identify = (value: Json, type: string) => {
    need(value['@type'] === type, `${value['@id']} is a ${type}`)
    need(isText(value['@id']) && !ids.has(value['@id']), `${value['@id']} is unique`)
    ids.add(String(value['@id']))
  }
  for (const file of listOf(about.distribution)) {
    identify(file, 'cr:FileObject')
    need(isText(file.name) && isBelow(file.contentUrl), `${file['@id']} has a name and lies below the description`)
    need(/^\d+ B$/.test(String(file.contentSize)), `${file['@id']} has a size`)
    need(isText(file.encodingFormat) && SHA256.test(String(file.sha256)), `${file['@id']} has a format and a digest`)
  }
  const files = new Set(ids)
  for (const set of listOf(about.recordSet)) {
    identify(set, 'cr:RecordSet')
    need(listOf(set.field).length > 0, `${set['@id']} has fields`)
    for (const field of listOf(set.field)) {
      identify(field, 'cr:Field')
      need(String(field['@id']).startsWith(`${set['@id']}/`), `${field['@id']} begins with its record set`)
      need(ATOMIC.includes(String(field.dataType)), `${field['@id']} has an atomic type`)
      const { fileObject, extract } = field.source as { fileObject: Json; extract: Json }
      need(files.has(String(fileObject['@id'])) && isText(extract.column), `${field['@id']} is a column of a file`)
    }
  }
  return broken
}

const CFF =
  'abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message preferred-citation references repository repository-artifact repository-code title type url version'

/** @param about the parsed YAML, of which dates are text */
export function brokenInCitation(about: Json): string[] {
  const { broken, need } = rules()
  need(unknownKeys(about, CFF).length === 0, `${unknownKeys(about, CFF)} is a key`)
  need(about['cff-version'] === '1.2.0', 'cff-version is 1.2.0')
  need(about.type === 'dataset', 'type is dataset or software')
  for (const key of ['message', 'title', 'abstract']) need(isText(about[key]), `${key} is text`)
  need(isText(about.version) || typeof about.version === 'number', 'version is text or a number')
  need(DAY.test(String(about['date-released'])), 'date-released is a day')
  const checkAuthors = (authors: unknown, whose: string) => {
    need(listOf(authors).length > 0, `${whose} has authors`)
    need(
      listOf(authors).every((author) => isText(author.name)),
      `${whose}: entities have names`,
    )
  }
  checkAuthors(about.authors, 'it')
  need(listOf(about.keywords).every(isText), 'keywords are text')
  const identifiers = listOf(about.identifiers)
  const texts = identifiers.map((identifier) => JSON.stringify(identifier))
  need(new Set(texts).size === texts.length, 'identifiers are unique')
  for (const identifier of identifiers) {
    need(unknownKeys(identifier, 'type value description').length === 0, 'an identifier has three keys')
    need(identifier.type === 'other' && isText(identifier.value), 'an identifier has a value')
    need(isText(identifier.description), 'an identifier has a description')
  }
  for (const reference of listOf(about.references)) {
    need(isText(reference.type) && isText(reference.title), 'a reference has a type and a title')
    checkAuthors(reference.authors, 'a reference')
  }
  return broken
}

const DEFINITION = 'name long_name description resources experiment'
const EXPERIMENT = 'screen_width_px screen_height_px screen_width_cm screen_height_cm distance_cm origin sampling_rate'
const RESOURCE = 'content source filename_pattern filename_pattern_schema_overrides load_function load_kwargs'
const GAZE =
  'trial_columns time_column time_unit pixel_columns position_columns velocity_columns acceleration_columns distance_column column_map read_csv_kwargs'
const TYPES = ['Utf8', 'Int64', 'Float64', 'Boolean']

/**
 * @param about the parsed YAML, a type such as `!polars.Utf8` as its name
 * @param headers the columns of each file, by its name without folders
 */
export function brokenInPymovements(about: Json, headers: Record<string, string[]>): string[] {
  const { broken, need } = rules()
  need(unknownKeys(about, DEFINITION).length === 0, `${unknownKeys(about, DEFINITION)} is a field of a definition`)
  const experiment = about.experiment as Json
  need(unknownKeys(experiment, EXPERIMENT).length === 0, `${unknownKeys(experiment, EXPERIMENT)} is of an experiment`)
  need(['upper left', 'lower left', 'center'].includes(String(experiment.origin)), 'the origin is known')
  for (const resource of listOf(about.resources)) {
    need(unknownKeys(resource, RESOURCE).length === 0, `${unknownKeys(resource, RESOURCE)} is of a resource`)
    const columns = headers[String(resource.filename_pattern)] ?? []
    need(columns.length > 0, `${resource.filename_pattern} is a file`)
    const kwargs = resource.load_kwargs as Json
    const isGaze = resource.content === 'gaze'
    need(isGaze || resource.content === 'precomputed_events', `${resource.content} is a content`)
    const known = isGaze ? GAZE : 'read_csv_kwargs'
    need(unknownKeys(kwargs, known).length === 0, `${unknownKeys(kwargs, known)} is an argument`)
    const named = ['trial_columns', 'time_column', 'pixel_columns'].flatMap((key) => kwargs[key] ?? [])
    need(named.length === (isGaze ? 4 : 0), 'gaze has a test, a time and two positions')
    const types = ((kwargs.read_csv_kwargs as Json).schema_overrides ?? {}) as Record<string, string>
    for (const column of [...named, ...Object.keys(types)])
      need(columns.includes(column as string), `${column} is a column of ${resource.filename_pattern}`)
    need(
      Object.values(types).every((type) => TYPES.includes(type)),
      'types are of polars',
    )
  }
  return broken
}
