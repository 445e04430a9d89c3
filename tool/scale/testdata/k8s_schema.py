"""Writes job.schema.json: what the API of Kubernetes takes as a batch/v1 Job, of the types that scale k8s writes.

    pip install kubernetes==37.0.2
    python k8s_schema.py > job.schema.json

The types are those of the client, which is generated from the OpenAPI document of Kubernetes (release 1.37): names,
types and which fields are required come from there, for every field of these types. Other types are objects of any
fields. Enumerations are written here and held against the descriptions of their fields.
"""

import json
import re

from kubernetes.client import models

TYPES = [
    "V1Job", "V1ObjectMeta", "V1JobSpec", "V1PodFailurePolicy", "V1PodFailurePolicyRule",
    "V1PodFailurePolicyOnExitCodesRequirement", "V1PodFailurePolicyOnPodConditionsPattern", "V1PodTemplateSpec",
    "V1PodSpec", "V1Container", "V1EnvVar", "V1ResourceRequirements", "V1VolumeMount", "V1Volume",
    "V1PersistentVolumeClaimVolumeSource",
]
ENUMS = {
    ("V1PodFailurePolicyRule", "action"): ["FailJob", "FailIndex", "Ignore", "Count"],
    ("V1PodFailurePolicyOnExitCodesRequirement", "operator"): ["In", "NotIn"],
    ("V1JobSpec", "completionMode"): ["NonIndexed", "Indexed"],
    ("V1PodSpec", "restartPolicy"): ["Always", "OnFailure", "Never"],
}
PLAIN = {"str": "string", "int": "integer", "bool": "boolean", "float": "number"}


def schema_of(text):
    """The schema of a type as the client spells it."""
    if m := re.fullmatch(r"[Ll]ist\[(.*)\]", text):
        return {"type": "array", "items": schema_of(m[1])}
    if m := re.fullmatch(r"[Dd]ict(?:\[str, |\(str, )(.*)[\])]", text):
        return {"type": "object", "additionalProperties": schema_of(m[1])}
    if text in PLAIN:
        return {"type": PLAIN[text]}
    if text in TYPES:
        return {"$ref": text}
    return {"type": "object"} if text.startswith("V1") else {}


def type_schema(name):
    model = getattr(models, name)
    properties, required = {}, []
    for attribute, text in model.openapi_types.items():
        key, field = model.attribute_map[attribute], model.model_fields[attribute]
        properties[key] = schema_of(text)
        if values := ENUMS.get((name, key)):
            for value in values:
                assert value in (field.description or ""), (name, key, value)
            properties[key]["enum"] = values
        if field.is_required():
            required.append(key)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


print(json.dumps({"$ref": "V1Job", "release": "1.37", "types": {name: type_schema(name) for name in TYPES}}, indent=1))
