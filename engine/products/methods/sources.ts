/** A publication that the paragraph cites. */
export type Publication = {
  /** Key of its BibTeX entry. */
  key: string
  /** Name of the source in a sentence. */
  short: string
  /** Full reference. */
  reference: string
  doi: string
  bibtex: string
}

type Entry = { type: 'article' | 'inproceedings'; fields: Record<string, string>; short: string; reference: string }

const SPRINGER = { journal: 'Behavior Research Methods' }

const ENTRIES = {
  salvucci2000: {
    type: 'inproceedings',
    short: 'Salvucci & Goldberg, 2000',
    reference:
      'Salvucci, D. D., & Goldberg, J. H. (2000). Identifying fixations and saccades in eye-tracking protocols. Proceedings of the 2000 Symposium on Eye Tracking Research & Applications, 71–78.',
    fields: {
      author: 'Salvucci, Dario D. and Goldberg, Joseph H.',
      title: 'Identifying fixations and saccades in eye-tracking protocols',
      booktitle: 'Proceedings of the 2000 Symposium on Eye Tracking Research \\& Applications',
      year: '2000',
      pages: '71--78',
      doi: '10.1145/355017.355028',
    },
  },
  engbert2003: {
    type: 'article',
    short: 'Engbert & Kliegl, 2003',
    reference:
      'Engbert, R., & Kliegl, R. (2003). Microsaccades uncover the orientation of covert attention. Vision Research, 43(9), 1035–1045.',
    fields: {
      author: 'Engbert, Ralf and Kliegl, Reinhold',
      title: 'Microsaccades uncover the orientation of covert attention',
      journal: 'Vision Research',
      year: '2003',
      volume: '43',
      number: '9',
      pages: '1035--1045',
      doi: '10.1016/S0042-6989(03)00084-1',
    },
  },
  engbert2006: {
    type: 'article',
    short: 'Engbert & Mergenthaler, 2006',
    reference:
      'Engbert, R., & Mergenthaler, K. (2006). Microsaccades are triggered by low retinal image slip. Proceedings of the National Academy of Sciences, 103(18), 7192–7197.',
    fields: {
      author: 'Engbert, Ralf and Mergenthaler, Konstantin',
      title: 'Microsaccades are triggered by low retinal image slip',
      journal: 'Proceedings of the National Academy of Sciences',
      year: '2006',
      volume: '103',
      number: '18',
      pages: '7192--7197',
      doi: '10.1073/pnas.0509557103',
    },
  },
  hessels2017: {
    type: 'article',
    short: 'Hessels et al., 2017',
    reference:
      'Hessels, R. S., Niehorster, D. C., Kemner, C., & Hooge, I. T. C. (2017). Noise-robust fixation detection in eye movement data: Identification by two-means clustering (I2MC). Behavior Research Methods, 49(5), 1802–1823.',
    fields: {
      author: 'Hessels, Roy S. and Niehorster, Diederick C. and Kemner, Chantal and Hooge, Ignace T. C.',
      title: 'Noise-robust fixation detection in eye movement data: Identification by two-means clustering (I2MC)',
      ...SPRINGER,
      year: '2017',
      volume: '49',
      number: '5',
      pages: '1802--1823',
      doi: '10.3758/s13428-016-0822-1',
    },
  },
  niehorster2020: {
    type: 'article',
    short: 'Niehorster et al., 2020',
    reference:
      'Niehorster, D. C., Zemblys, R., Beelders, T., & Holmqvist, K. (2020). Characterizing gaze position signals and synthesizing noise during fixations in eye-tracking data. Behavior Research Methods, 52, 2515–2534.',
    fields: {
      author: 'Niehorster, Diederick C. and Zemblys, Raimondas and Beelders, Tanya and Holmqvist, Kenneth',
      title: 'Characterizing gaze position signals and synthesizing noise during fixations in eye-tracking data',
      ...SPRINGER,
      year: '2020',
      volume: '52',
      pages: '2515--2534',
      doi: '10.3758/s13428-020-01400-9',
    },
  },
  niehorster2026: {
    type: 'article',
    short: 'Niehorster et al., 2026',
    reference:
      'Niehorster, D. C., Nyström, M., Hessels, R. S., Benjamins, J. S., Andersson, R., & Hooge, I. T. C. (2026). The fundamentals of eye tracking, Part 7: Determining data quality. Behavior Research Methods.',
    fields: {
      author:
        'Niehorster, Diederick C. and Nystr{\\"o}m, Marcus and Hessels, Roy S. and Benjamins, Jeroen S. and Andersson, Richard and Hooge, Ignace T. C.',
      title: 'The fundamentals of eye tracking, Part 7: Determining data quality',
      ...SPRINGER,
      year: '2026',
      doi: '10.3758/s13428-026-03039-4',
    },
  },
  dunn2023: {
    type: 'article',
    short: 'Dunn et al., 2023',
    reference:
      'Dunn, M. J., Alexander, R. G., Amiebenomo, O. M., Arblaster, G., Atan, D., Erichsen, J. T., … Sprenger, A. (2023). Minimal reporting guideline for research involving eye tracking (2023 edition). Behavior Research Methods, 56, 4351–4357 (author correction, 2024: 56, 4218–4219, https://doi.org/10.3758/s13428-024-02438-9).',
    fields: {
      author:
        'Dunn, Matt J. and Alexander, Robert G. and Amiebenomo, Onyekachukwu M. and Arblaster, Gemma and Atan, Denize and Erichsen, Jonathan T. and others',
      title: 'Minimal reporting guideline for research involving eye tracking (2023 edition)',
      ...SPRINGER,
      year: '2023',
      volume: '56',
      pages: '4351--4357',
      doi: '10.3758/s13428-023-02187-1',
      note: 'Author correction (2024): 56, 4218--4219, doi:10.3758/s13428-024-02438-9',
    },
  },
  zhang2011: {
    type: 'article',
    short: 'Zhang & Hornof, 2011',
    reference:
      'Zhang, Y., & Hornof, A. J. (2011). Mode-of-disparities error correction of eye-tracking data. Behavior Research Methods, 43(3), 834–842.',
    fields: {
      author: 'Zhang, Yunfeng and Hornof, Anthony J.',
      title: 'Mode-of-disparities error correction of eye-tracking data',
      ...SPRINGER,
      year: '2011',
      volume: '43',
      number: '3',
      pages: '834--842',
      doi: '10.3758/s13428-011-0073-0',
    },
  },
  kret2019: {
    type: 'article',
    short: 'Kret & Sjak-Shie, 2019',
    reference:
      'Kret, M. E., & Sjak-Shie, E. E. (2019). Preprocessing pupil size data: Guidelines and code. Behavior Research Methods, 51(3), 1336–1342.',
    fields: {
      author: 'Kret, Mariska E. and Sjak-Shie, Elio E.',
      title: 'Preprocessing pupil size data: Guidelines and code',
      ...SPRINGER,
      year: '2019',
      volume: '51',
      number: '3',
      pages: '1336--1342',
      doi: '10.3758/s13428-018-1075-y',
    },
  },
  hershman2018: {
    type: 'article',
    short: 'Hershman et al., 2018',
    reference:
      'Hershman, R., Henik, A., & Cohen, N. (2018). A novel blink detection method based on pupillometry noise. Behavior Research Methods, 50(1), 107–114.',
    fields: {
      author: 'Hershman, Ronen and Henik, Avishai and Cohen, Noga',
      title: 'A novel blink detection method based on pupillometry noise',
      ...SPRINGER,
      year: '2018',
      volume: '50',
      number: '1',
      pages: '107--114',
      doi: '10.3758/s13428-017-1008-1',
    },
  },
  glandorf2021: {
    type: 'article',
    short: 'Glandorf & Schroeder, 2021',
    reference:
      'Glandorf, D., & Schroeder, S. (2021). Slice: An algorithm to assign fixations in multi-line texts. Procedia Computer Science, 192, 2971–2979.',
    fields: {
      author: 'Glandorf, Dominik and Schroeder, Sascha',
      title: 'Slice: An algorithm to assign fixations in multi-line texts',
      journal: 'Procedia Computer Science',
      year: '2021',
      volume: '192',
      pages: '2971--2979',
      doi: '10.1016/j.procs.2021.09.069',
    },
  },
  carr2022: {
    type: 'article',
    short: 'Carr et al., 2022',
    reference:
      'Carr, J. W., Pescuma, V. N., Furlan, M., Ktori, M., & Crepaldi, D. (2022). Algorithms for the automated correction of vertical drift in eye-tracking data. Behavior Research Methods, 54(1), 287–310.',
    fields: {
      author: 'Carr, Jon W. and Pescuma, Valentina N. and Furlan, Michele and Ktori, Maria and Crepaldi, Davide',
      title: 'Algorithms for the automated correction of vertical drift in eye-tracking data',
      ...SPRINGER,
      year: '2022',
      volume: '54',
      number: '1',
      pages: '287--310',
      doi: '10.3758/s13428-021-01554-0',
    },
  },
  mathot2023: {
    type: 'article',
    short: 'Mathôt & Vilotijević, 2023',
    reference:
      'Mathôt, S., & Vilotijević, A. (2023). Methods in cognitive pupillometry: Design, preprocessing, and statistical analysis. Behavior Research Methods, 55(6), 3055–3077.',
    fields: {
      author: "Math{\\^o}t, Sebastiaan and Vilotijevi{\\'c}, Ana",
      title: 'Methods in cognitive pupillometry: Design, preprocessing, and statistical analysis',
      ...SPRINGER,
      year: '2023',
      volume: '55',
      number: '6',
      pages: '3055--3077',
      doi: '10.3758/s13428-022-01957-7',
    },
  },
} satisfies Record<string, Entry>

export type SourceKey = keyof typeof ENTRIES

/** Returns a source by its key. */
export function citedSource(key: SourceKey): Publication {
  const { type, fields, short, reference } = ENTRIES[key]
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`)
  return { key, short, reference, doi: fields.doi, bibtex: `@${type}{${key},\n${lines.join('')}}\n` }
}
