// What is learned beyond single keys: shares within groups, or which keys are chosen together.
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";
import { SegmentField, valueOfSegment } from "./segment-field.js";
import { TogetherField, valueOfTogether } from "./together-field.js";

export class DerivedFields {
  constructor() {
    this.fields = { segment: new SegmentField(), together: new TogetherField() };
    const { segment } = this.fields;
    this.groups = make(
      "details",
      { class: "more" },
      make("summary", {}, t("Compare groups, such as ages?")),
      segment.element,
    );
  }

  // Both need a list of keys; what goes together is asked of keys without values.
  update({ keys, isRated, hasOther, isOneChoice }) {
    const { segment, together } = this.fields,
      isListed = !keys.isHashed && !keys.isDiscovery;
    this.groups.hidden = segment.element.hidden = !isListed;
    if (segment.isOn) this.groups.open = true;
    together.update({
      isOffered: isListed && !isRated,
      keyCount: keys.keyCount,
      hasSegment: segment.isOn,
      hasOther,
      isOneChoice,
    });
  }

  used() {
    return Object.values(this.fields).filter(({ element }) => !element.hidden);
  }

  // As a task takes them.
  values() {
    const { segment, together } = this.fields;
    return { segment: segment.element.hidden ? null : segment.segment(), together: together.isOn };
  }

  // What participants read of the groups, for its translations.
  texts() {
    const { segment } = this.values();
    if (!segment) return [];
    return [
      ["segment_name", this.fields.segment.name.label, segment.name, false],
      ["segment_labels", t("Answers about groups"), segment.labels.join("\n"), true],
    ];
  }

  // As a plan takes them: how many groups there are.
  planInputs() {
    const { segment, together } = this.values();
    return { labels: segment?.labels.length, ...(together ? { together } : {}) };
  }
}

export const valuesOfDerived = (task) => ({ segment: valueOfSegment(task), together: valueOfTogether(task) });
